package transport

import "context"

// A Reply is the last successful response to an update.
type Reply struct{ response *Response }

type replyKey struct{}

// WithReply returns a context whose updates record their last response in the reply.
func WithReply(ctx context.Context) (context.Context, *Reply) {
	reply := &Reply{}
	return context.WithValue(ctx, replyKey{}, reply), reply
}

// Text is the API's text in a response that shows no object; it may be empty.
func (r *Reply) Text() string {
	if r.response == nil || r.response.Result != nil {
		return ""
	}
	return r.response.masker.bodyText(r.response.body)
}

func (resp Response) recordReply(ctx context.Context) {
	if reply, ok := ctx.Value(replyKey{}).(*Reply); ok && resp.request.Writes {
		reply.response = &resp
	}
}

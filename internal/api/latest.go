package api

// LatestPipe returns a pipe as it was last read or written, nil if it was not.
// It sends nothing.
func (c *Client) LatestPipe(serviceID, pipeID string) *Pipe {
	return c.pipes.at(serviceID, pipeID).newest()
}

// LatestService is like LatestPipe.
func (c *Client) LatestService(serviceID string) *Service { return c.services.at(serviceID).newest() }

// LatestKey is like LatestPipe.
func (c *Client) LatestKey(keyID string) *Key { return c.keys.at(keyID).newest() }

package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/adopt"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
)

// backupsDataSource lists the backups of a service (operation listBackups).
type backupsDataSource struct {
	*adopt.ProviderData
}

var _ datasource.DataSourceWithConfigure = (*backupsDataSource)(nil)

func newBackupsDataSource() datasource.DataSource { return &backupsDataSource{} }

func (d *backupsDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_backups"
}

func (d *backupsDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Looks up the backups of a service.",
		Attributes: attributeMap{
			"service_id": schema.StringAttribute{
				MarkdownDescription: "UUID of the service.",
				Required:            true,
				Validators:          []validator.String{uuidForm{}},
			},
			"backups": readObjects("Backups, in the order in which the API returns them. The API does not document this order.", backupAttributes()),
			"latest":  readObject("Last backup that finished successfully. Null if there is none.", backupAttributes()),
		},
	}
}

func backupAttributes() attributeMap {
	return attributeMap{
		"id":                  readString("UUID of the backup."),
		"service_id":          readString("ID of the service."),
		"started_at":          readString("Start time."),
		"finished_at":         readString("End time. Null while the backup is in progress."),
		"size_in_bytes":       readInt64("Size, in bytes."),
		"duration_in_seconds": readInt64("Duration, in seconds."),
		"backup_name":         readString("Name of the backup."),
		"bucket": readObject("Storage location of the backup.", attributeMap{
			"bucket_path":           readString("Path in the bucket."),
			"iam_role_arn":          readString("ARN of the IAM role for the bucket."),
			"iam_role_session_name": readString("Session name for that role."),
		}),
	}
}

func (d *backupsDataSource) Configure(_ context.Context, req datasource.ConfigureRequest, _ *datasource.ConfigureResponse) {
	if data, ok := req.ProviderData.(*adopt.ProviderData); ok {
		d.ProviderData = data
	}
}

func (d *backupsDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var id types.String
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("service_id"), &id)...)
	if resp.Diagnostics.HasError() || !d.Ready(req, resp) {
		return
	}
	service := id.ValueString()
	backups, err := d.Client.Backups(ctx, service)
	if err != nil {
		resp.Diagnostics.Append(d.LookupFailure("backups of service "+service, "service_id", err))
		return
	}
	typ := resp.State.Schema.Type().TerraformType(ctx).(tftypes.Object)
	resp.State.Raw = tftypes.NewValue(typ, map[string]tftypes.Value{
		"service_id": tftypes.NewValue(tftypes.String, service),
		"backups":    responseValue(typ.AttributeTypes["backups"], backups),
		"latest":     responseValue(typ.AttributeTypes["latest"], latest(backups)),
	})
}

// latest is the backup that finished last, nil if none did. Of two that finished
// at the same instant it is the one that the API lists first.
func latest(backups []api.Backup) *api.Backup {
	var last *api.Backup
	for i := range backups {
		if backup := &backups[i]; isComplete(backup) && (last == nil || later(finishedAt(backup), finishedAt(last))) {
			last = backup
		}
	}
	return last
}

// isComplete reports whether a backup has finished successfully. Some APIs have a
// status that is not documented, and a time in the year 1 for none.
func isComplete(backup *api.Backup) bool {
	status, _ := backup.Status.Get()
	finished := finishedAt(backup)
	at, isTime := instant(finished)
	return finished != "" && (!isTime || at.Year() > 1) && status != "error" && status != "in_progress"
}

// finishedAt is empty if the API returned no end time.
func finishedAt(backup *api.Backup) string {
	finished, _ := backup.FinishedAt.Get()
	return finished
}

// later compares instants, and what is none as text.
func later(a, b string) bool {
	at, aOK := instant(a)
	bt, bOK := instant(b)
	if aOK && bOK {
		return at.After(bt)
	}
	if aOK != bOK {
		return aOK
	}
	return a > b
}

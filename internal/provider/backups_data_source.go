package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

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
		Attributes: map[string]schema.Attribute{
			"service_id": schema.StringAttribute{
				MarkdownDescription: "UUID of the service.",
				Required:            true,
				Validators:          []validator.String{uuidForm{}},
			},
			"backups": schema.ListNestedAttribute{
				MarkdownDescription: "Backups, in the order in which the API returns them. The API does not document this order.",
				Computed:            true,
				NestedObject:        schema.NestedAttributeObject{Attributes: backupAttributes()},
			},
			"latest": schema.SingleNestedAttribute{
				MarkdownDescription: "Last backup that finished successfully. Null if there is none.",
				Computed:            true,
				Attributes:          backupAttributes(),
			},
		},
	}
}

func backupAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"id":                  readString("UUID of the backup."),
		"service_id":          readString("ID of the service."),
		"started_at":          readString("Start time."),
		"finished_at":         readString("End time. Null while the backup is in progress."),
		"size_in_bytes":       readInt64("Size, in bytes."),
		"duration_in_seconds": readInt64("Duration, in seconds."),
		"backup_name":         readString("Name of the backup."),
		"bucket": readObject("Storage location of the backup.", map[string]schema.Attribute{
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
	var model backupsModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	if resp.Diagnostics.HasError() || !d.Ready(req, resp) {
		return
	}
	backups, err := d.Client.Backups(ctx, model.ServiceID.ValueString())
	if err != nil {
		resp.Diagnostics.Append(d.LookupFailure("backups of service "+model.ServiceID.ValueString(), "service_id", err))
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, model.from(backups))...)
}

type backupsModel struct {
	ServiceID types.String  `tfsdk:"service_id"`
	Backups   []backupModel `tfsdk:"backups"`
	Latest    *backupModel  `tfsdk:"latest"`
}

type backupModel struct {
	ID                types.String `tfsdk:"id"`
	ServiceID         types.String `tfsdk:"service_id"`
	StartedAt         types.String `tfsdk:"started_at"`
	FinishedAt        types.String `tfsdk:"finished_at"`
	SizeInBytes       types.Int64  `tfsdk:"size_in_bytes"`
	DurationInSeconds types.Int64  `tfsdk:"duration_in_seconds"`
	BackupName        types.String `tfsdk:"backup_name"`
	Bucket            *bucketModel `tfsdk:"bucket"`
}

type bucketModel struct {
	BucketPath         types.String `tfsdk:"bucket_path"`
	IAMRoleARN         types.String `tfsdk:"iam_role_arn"`
	IAMRoleSessionName types.String `tfsdk:"iam_role_session_name"`
}

func (m backupsModel) from(backups []api.Backup) backupsModel {
	m.Backups = make([]backupModel, len(backups))
	for i, backup := range backups {
		m.Backups[i] = backupFrom(backup)
	}
	m.Latest = latest(backups)
	return m
}

func backupFrom(backup api.Backup) backupModel {
	return backupModel{
		ID:                optionalString(backup.ID),
		ServiceID:         optionalString(backup.ServiceID),
		StartedAt:         optionalString(backup.StartedAt),
		FinishedAt:        optionalString(backup.FinishedAt),
		SizeInBytes:       optionalInt64(backup.SizeInBytes),
		DurationInSeconds: optionalInt64(backup.DurationInSeconds),
		BackupName:        optionalString(backup.BackupName),
		Bucket: optional(backup.Bucket, func(bucket api.Bucket) bucketModel {
			return bucketModel{
				BucketPath:         optionalString(bucket.BucketPath),
				IAMRoleARN:         optionalString(bucket.IAMRoleARN),
				IAMRoleSessionName: optionalString(bucket.IAMRoleSessionName),
			}
		}),
	}
}

// latest is the backup that finished last, nil if none did. Of two that finished
// at the same instant it is the one that the API lists first.
func latest(backups []api.Backup) *backupModel {
	var last *backupModel
	for _, backup := range backups {
		if shown := backupFrom(backup); isComplete(backup) && (last == nil || later(shown.FinishedAt, last.FinishedAt)) {
			last = &shown
		}
	}
	return last
}

// isComplete reports whether a backup has finished successfully. Some APIs have a
// status that is not documented, and a time in the year 1 for none.
func isComplete(backup api.Backup) bool {
	status, _ := backup.Status.Get()
	finished, _ := backup.FinishedAt.Get()
	at, isTime := instant(finished)
	return finished != "" && (!isTime || at.Year() > 1) && status != "error" && status != "in_progress"
}

// later compares instants, and what is none as text.
func later(a, b types.String) bool {
	at, aOK := instant(a.ValueString())
	bt, bOK := instant(b.ValueString())
	if aOK && bOK {
		return at.After(bt)
	}
	if aOK != bOK {
		return aOK
	}
	return a.ValueString() > b.ValueString()
}

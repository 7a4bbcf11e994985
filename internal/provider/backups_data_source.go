package provider

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/dbplatform/terraform-provider-dbplatform/internal/api"
	"github.com/dbplatform/terraform-provider-dbplatform/internal/lifecycle"
)

// backupsLookup lists the backups of a service (operation listBackups).
func backupsLookup() lifecycle.Lookup {
	attributes := schema.Schema{
		MarkdownDescription: "Looks up the backups of a service. Fails if the service does not exist.",
		Attributes: attributeMap{
			"service_id": uuidAttribute("UUID of the service."),
			"backups":    computedObjects("Backups, in the order of the API's response, which is not documented.", backupAttributes()),
			"latest":     computedObject("Last finished backup. If the API returns a status, only `done` counts. Null if there is none.", backupAttributes()),
		},
	}
	attributeTypes := attributes.Type().(types.ObjectType).AttrTypes
	return lifecycle.Lookup{
		Object: lifecycle.Kind{TypeName: "backups", Noun: "backups of service", IDs: []string{"service_id"}},
		Schema: attributes,
		Fetch: func(ctx context.Context, client *api.Client, ids lifecycle.Attributes) (lifecycle.Attributes, error) {
			backups, err := client.Backups(ctx, lifecycle.Text(ids["service_id"]))
			if err != nil {
				return nil, err
			}
			list, _ := json.Marshal(backups.List)
			last, _ := json.Marshal(latest(backups.List)) // null if there is none
			return lifecycle.FromObject(attributeTypes, api.Object{"backups": list, "latest": last}), nil
		},
		Advise: adviseBackups,
	}
}

func backupAttributes() attributeMap {
	return attributeMap{
		"id":                  computedString("UUID of the backup."),
		"service_id":          computedString("ID of the service."),
		"started_at":          computedString("Start time."),
		"finished_at":         computedString("End time. Null while the backup is in progress."),
		"size_in_bytes":       computedInt64("Size, in bytes."),
		"duration_in_seconds": computedInt64("Duration, in seconds."),
		"backup_name":         computedString("Name of the backup."),
		"bucket": computedObject("Storage location of the backup.", attributeMap{
			"bucket_path":           computedString("Path in the bucket."),
			"iam_role_arn":          computedString("ARN of the IAM role for the bucket."),
			"iam_role_session_name": computedString("Session name for that role."),
		}),
	}
}

// adviseBackups warns if there may be a newer backup than the latest.
func adviseBackups(ctx context.Context, client *api.Client, ids lifecycle.Attributes) (diags diag.Diagnostics) {
	id := lifecycle.Text(ids["service_id"])
	if backups, err := client.Backups(ctx, id); err == nil && backups.HasMore { // an error is reported by the read
		diags.AddWarning("Not all backups are shown: service "+lifecycle.ShortID(id),
			"The API returned only some backups, and documents no way to get the others. latest is the last of these.")
	}
	return diags
}

// latest is the backup that finished last, nil if none did. Of two that finished at the same instant, it is the
// one that the API lists first. Some APIs return an undocumented status: only done is one to rely on.
func latest(backups []api.Object) (last api.Object) {
	var finished time.Time
	for _, backup := range backups {
		text, status := backup.Text("finishedAt"), backup.Text("status")
		at, hasEnded := instant(text)
		isDone := status == "" || strings.EqualFold(status, "done")
		if isDone && hasEnded && !isNoTime(text) && at.After(finished) {
			last, finished = backup, at
		}
	}
	return last
}

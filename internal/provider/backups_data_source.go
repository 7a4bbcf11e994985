package provider

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
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
			newest, _ := latest(backups.List)
			last, _ := json.Marshal(newest) // null if there is none
			return lifecycle.FromObject(ctx, attributeTypes, api.Object{"backups": list, "latest": last}), nil
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
	backups, err := client.Backups(ctx, id)
	if err != nil {
		return nil // reported by the read
	}
	if backups.HasMore {
		diags.AddWarning("Not all backups are shown: service "+lifecycle.ShortID(id),
			"The API returned only some backups, and documents no way to get the others. latest is the last of these.")
	}
	if _, unsure := latest(backups.List); len(unsure) > 0 {
		var names []string
		for _, backup := range unsure {
			names = append(names, fmt.Sprintf("%s (status %s, finished at %s)",
				memberText(backup, "backupName"), cmp.Or(memberText(backup, "status"), "none"), cmp.Or(memberText(backup, "finishedAt"), "none")))
		}
		diags.AddWarning("Backups that latest leaves out: service "+lifecycle.ShortID(id),
			"They may be newer, but their status is none of done, error and in_progress, or their end cannot be read: "+lifecycle.Names(names)+".")
	}
	return diags
}

// latest is the backup that finished last, nil if none did. Of two that finished at the
// same instant, it is the one that the API lists first. Some APIs return an undocumented
// status: done, error or in_progress. unsure are backups with another one, or whose end cannot
// be read, unless latest finished later.
func latest(backups []api.Object) (last api.Object, unsure []api.Object) {
	var finished time.Time
	for _, backup := range backups {
		at, hasEnded := end(backup)
		switch status := strings.ToLower(memberText(backup, "status")); {
		case status == "error" || status == "in_progress":
		case hasEnded && (status == "" || status == "done"):
			if at.After(finished) {
				last, finished = backup, at
			}
		case status != "" || !isNone(memberText(backup, "finishedAt")):
			unsure = append(unsure, backup)
		}
	}
	return last, slices.DeleteFunc(unsure, func(backup api.Object) bool {
		at, hasEnded := end(backup)
		return hasEnded && !at.After(finished)
	})
}

// end is when a backup finished, false if that is not known.
func end(backup api.Object) (time.Time, bool) {
	text := memberText(backup, "finishedAt")
	at, ok := instant(text)
	return at, ok && !isNone(text)
}

func isNone(text string) bool { return text == "" || isNoTime(text) }

// memberText is a member as text, "" for none: a string, or the JSON of anything else.
func memberText(object api.Object, name string) string {
	text := string(object[name])
	if strings.HasPrefix(text, `"`) {
		text = object.Text(name)
	}
	if text == "null" {
		return ""
	}
	return text
}

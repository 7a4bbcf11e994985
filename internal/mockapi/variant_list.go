package mockapi

// A variantEntry is a variant as [NamedVariant] shows it.
type variantEntry struct{ name, doc string }

// variantList is every variant under which updates can succeed. VARIANTS.md explains how the
// provider stays correct under each.
var variantList = []variantEntry{
	// Lists of a service
	{"remove_before_add", "A list's remove is applied before its add."},
	{"entry_identity=whole", "Two access entries are the same only if both source and description match."},
	{"remove_by=source", "Access entries are removed by their source alone."},
	{"remove_by=whole", "Access entries are removed only if source and description match."},
	{"add_existing=ignore", "Adding an existing entry changes nothing."},
	{"stored_addresses=mapped", "An IPv4-mapped IPv6 address is stored as IPv4: ::ffff:192.0.2.1 as 192.0.2.1."},
	{"entry_members", "Access entries have an id, enabled and expiresAt. An update keeps those that it contains, and loses the others."},

	// Updates
	{"settings_put=merge", "Settings that a PUT leaves out stay."},
	{"settings_put=forget", "Settings that a PUT leaves out vanish."},
	{"ignore_nulls", "A null in a scaling or settings body changes nothing."},
	{"refuse_foreign_settings", "A GET returns settings of other kinds of source, but a settings PUT that contains them is refused with 400."},
	{"undocumented_source", "Pipes have a source of an undocumented kind."},
	{"refuse_extra_setting", "A GET returns an unknown setting, but a settings PUT that contains it is refused with 400."},
	{"postgres_settings=404", "The settings PUT of a Postgres pipe is refused with 404."},
	{"sparse_settings_response", "A settings PUT returns only what was sent."},
	{"sparse_patch_response", "A PATCH returns only the id and what was sent."},
	{"replica_size=derived", "A change of CPU without memory sets 1 GB for each 250 millicores, and the other way round."},
	{"update_response=200", "An update returns 200 without a body."},
	{"update_response=202", "An update returns 202 without a body."},
	{"update_response=204", "An update returns 204 without a body."},
	{"update_response=empty_object", "An update returns {}."},
	{"update_response=accepted", "An update returns 202 and an envelope with a message, without a result."},
	{"update_response=other_result", "An update returns a result without any documented member."},
	{"update_response=operation", "An update returns 202 and an operation, with an id and a state of its own."},
	{"update_response=operation_id", "An update returns 202 and an operationId."},

	// Members and values of responses
	{"missing=null", "Members without a value are null."},
	{"missing=absent", "Members without a value, and empty lists, are left out."},
	{"missing=empty", "Lists and strings without a value are empty."},
	{"omit_empty=reads", `Responses to reads leave out members that are null, "", 0, false or an empty list.`},
	{"omit_empty=updates", "Responses to updates leave out these members."},
	{"omit_empty=all", "All responses leave out these members."},
	{"shuffle", "Lists without a meaningful order are returned in a different order each time."},
	{"extra_members", "Responses hold unknown members at every level; a pipe has an unknown setting."},
	{"numbers=quoted", `Numbers are strings: "5".`},
	{"numbers=float32", "Fractions are written as the nearest 32-bit float: 0.1 as 0.10000000149011612."},
	{"capital_enums", "Roles, states, release channels and the statuses of backups are shown in capitals."},
	{"backup_status", "Backups have a status and a type. The newest is DONE; newer ones are error, ERROR, failed, deleted, running, cancelled, or in_progress with an end in the year 1."},
	{"unreadable_backup_times", "The times of backups are written 2 July 2025, 01:20."},
	{"more_backups=link", `A list has two backups and the header Link: <…>; rel="next".`},
	{"more_backups=cursor", "A list has two backups and a nextCursor."},
	{"more_backups=page", "A list has two backups and a nextPage."},
	{"more_backups=has_more", "A list has two backups and hasMore."},
	{"normalise_expiry", "expireAt is shown in UTC with milliseconds."},
	{"normalise_address", "Addresses are shown as ranges with host bits zeroed, and removed only in that form."},
	{"stored_text=nfd", "Names and descriptions are stored in NFD: é is e and an accent."},

	// Services and keys
	{"refuse_empty_patch=400", "A PATCH of a service or key with an empty object is refused with 400."},
	{"refuse_empty_patch=405", "A PATCH of a service or key with an empty object is refused with 405."},
	{"read_by_get", "A GET on the path of a service or key reads it. Without this variant, it is refused with 405."},
	{"echo_write_only", "Responses also hold releaseChannel, the state of a key and whether an endpoint is enabled."},
	{"never=year_1", "A key that never expires has the expireAt 0001-01-01T00:00:00Z."},
	{"never=epoch", "A key that never expires has the expireAt 1970-01-01T00:00:00Z."},
	{"used_at_moves", "The usedAt of a key moves with each request for it."},
	{"endpoints_always_listed", "Disabled endpoints stay in the responses."},
	{"gone", "Unknown objects are refused with 410 instead of 404."},

	// Changes that show late
	{"late=old", "The response to a change of the scaling, and the next two reads, return the old values."},
	{"late=zero", "The response to a change of the scaling, and the next two reads, return zeros."},
	{"late=absent", "The response to a change of the scaling, and the next two reads, leave it out."},
	{"stale_pipes=200ms", "Pipes are shown as they were 200ms ago; any duration may be given."},
	{"stale_services=200ms", "Services are shown as they were 200ms ago; any duration may be given."},
	{"stale_keys=200ms", "API keys are shown as they were 200ms ago; any duration may be given."},
	{"lost_read=404", "While a change does not show yet, one read is refused with 404. Combine it with late or stale variants."},
	{"lost_read=page", "While a change does not show yet, one read returns 404 and the page of a gateway. Combine it with late or stale variants."},

	// Errors
	{"error_shape=html", "Errors are HTML pages."},
	{"error_shape=empty", "Errors have no body."},
}

// failingVariantList is every variant under which no client can make every apply succeed.
var failingVariantList = []variantEntry{
	{"add_existing=refuse", "Adding an existing entry is refused with 409."},
	{"add_existing=refuse_400", "Adding an existing entry is refused with 400."},
	{"stored_addresses=unspecified", "0.0.0.0 is stored as 0.0.0.0/0, and :: as ::/0."},
	{"stored_addresses=merged", "Neighboring and overlapping ranges are stored as one."},
	{"small_ids", "Private endpoint ids are stored in small letters."},
	{"stored_text=trimmed", "Names and descriptions are stored without white space at their ends."},
	{"stored_text=escaped", "Names and descriptions are stored as HTML: & as &amp;."},
	{"open_empty_list", "An empty IP access list is stored as 0.0.0.0/0."},
	{"replica_size=both", "A change of CPU or memory without the other is refused with 400."},
	{"refuse_empty_patch=500", "A PATCH of a service or key with an empty object is refused with 500."},
	{"frozen_roles", "The roles of a key never change; a PATCH with roles is accepted."},
	{"read_only_key", "The credentials may not update: every PATCH and PUT is refused with 403."},
	{"idle_service", "Every operation on a service and its pipes is refused with 424."},
}

import {
  to = dbplatform_api_key.dashboards
  id = "33333333-3333-4333-8333-222222222222"
}

/// Describes the data API as OpenAPI 3.1, restricted to what the caller may do. [OpenApiService] is the entry point.
/// Permissions are evaluated by the access rules, never here; samples contain only documents that a request of the
/// caller could read.
///
/// Must not know: how requests are authorized, MongoDB's driver.
@NullMarked
package org.restheart.openapi;

import org.jspecify.annotations.NullMarked;

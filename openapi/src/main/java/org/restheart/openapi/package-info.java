/// Describes the data API as OpenAPI 3.1: what this caller may do with this data. [OpenApiService] is the entry point.
/// What may be done is asked of the access rules, never decided here; documents are looked at only through what a
/// request of the caller would be allowed to read.
///
/// Must not know: how requests are authorized, MongoDB's driver.
@NullMarked
package org.restheart.openapi;

import org.jspecify.annotations.NullMarked;

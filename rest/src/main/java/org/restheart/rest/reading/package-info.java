/// Reads of services other than the data API: [DocumentReads] is the entry point. Each query has its read rights;
/// guards, access rules and coalescing are applied here, so that no service can omit them.
///
/// Must not know: what the services are, how they represent documents.
@NullMarked
package org.restheart.rest.reading;

import org.jspecify.annotations.NullMarked;

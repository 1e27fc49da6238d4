/// How services beside the data API read documents: [DocumentReads] is the entry point. Whoever asks states in whose
/// name
/// it reads; guards, access rules and coalescing apply here, so that no service can leave them out.
///
/// Must not know: what the services are, how they represent documents.
@NullMarked
package org.restheart.mongo.reading;

import org.jspecify.annotations.NullMarked;

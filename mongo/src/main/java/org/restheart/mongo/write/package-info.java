/// Single writes as one atomic operation each: preconditions on the stored document are part of the write's filter.
/// [DocumentWrite] is the entry point for existing documents, [BulkWrites.Writes] for new ones.
///
/// Must not know: how content is parsed and converted.
@NullMarked
package org.restheart.mongo.write;

import org.jspecify.annotations.NullMarked;

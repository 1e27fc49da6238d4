/// Single writes as one atomic operation each: what must be true of the stored document is part of the write's
/// own filter, so that nobody ever sees a state that a failed precondition undid. [TargetDocument] is the entry point
/// for what exists, [Inserts] for what is new.
///
/// Must not know: how content is parsed and shaped.
@NullMarked
package org.restheart.mongo.write;

import org.jspecify.annotations.NullMarked;

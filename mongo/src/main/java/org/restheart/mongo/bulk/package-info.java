/// Writes of many documents in one request, and the report of what became of them.
///
/// Must not know: single writes; preconditions, which bulk writes have none of.
@NullMarked
package org.restheart.mongo.bulk;

import org.jspecify.annotations.NullMarked;

/// The language of operations on data: what is done ([org.restheart.data.Operation]), and what a caller may see and do
/// ([org.restheart.data.Access]). Who carries it out follows (docs/decisions/0019-operations-at-the-centre.md).
///
/// Must not know: HTTP, how rules are written, the MongoDB driver.
@NullMarked
package org.restheart.data;

import org.jspecify.annotations.NullMarked;

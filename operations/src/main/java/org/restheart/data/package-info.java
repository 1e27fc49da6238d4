/// The language of operations on data: what a caller may see and do ([org.restheart.data.Access]). What is asked, and
/// who carries it out, follow (docs/decisions/0019-operations-at-the-centre.md).
///
/// Must not know: HTTP, how rules are written, the MongoDB driver.
@NullMarked
package org.restheart.data;

import org.jspecify.annotations.NullMarked;

/// The language of the house: what is asked of the data ([org.restheart.data.Operation]), what a caller may do with it
/// ([org.restheart.data.Access]), and who carries it out ([org.restheart.data.Executor]). Every way in builds
/// operations; see docs/decisions/0019-operations-at-the-centre.md.
///
/// Must not know: HTTP, how rules are written, the MongoDB driver.
@NullMarked
package org.restheart.data;

import org.jspecify.annotations.NullMarked;

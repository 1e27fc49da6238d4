/// Making and dropping indexes.
///
/// Must not know: documents, properties.
@NullMarked
package org.restheart.mongo.index;

import org.jspecify.annotations.NullMarked;

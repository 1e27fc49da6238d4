/// The cached metadata of databases and collections: whether they exist, and their stored properties. [Metadata] is
/// the entry point.
///
/// Must not know: HTTP.
@NullMarked
package org.restheart.mongo.metadata;

import org.jspecify.annotations.NullMarked;

/// What is known of databases and collections: whether they exist and the properties stored with them, cached.
/// [Metadata] is the entry point.
///
/// Must not know: HTTP.
@NullMarked
package org.restheart.mongo.metadata;

import org.jspecify.annotations.NullMarked;

/// Databases, collections, buckets, schema stores and indexes: listing and creating them, changing their stored
/// properties, and dropping them.
///
/// Must not know: documents.
@NullMarked
package org.restheart.rest.management;

import org.jspecify.annotations.NullMarked;

/// Databases, collections, buckets, schema stores and indexes: listing them, making them, changing the properties
/// stored beside them, and dropping them.
///
/// Must not know: documents.
@NullMarked
package org.restheart.mongo.management;

import org.jspecify.annotations.NullMarked;

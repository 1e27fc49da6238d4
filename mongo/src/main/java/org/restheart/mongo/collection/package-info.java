/// Making, changing and dropping collections, buckets and schema stores, with the properties stored beside
/// them.
///
/// Must not know: documents.
@NullMarked
package org.restheart.mongo.collection;

import org.jspecify.annotations.NullMarked;

/// The service that makes the gateway forget what it knows of databases and collections.
///
/// Must not know: the data API's resources.
@NullMarked
package org.restheart.mongo.cache;

import org.jspecify.annotations.NullMarked;

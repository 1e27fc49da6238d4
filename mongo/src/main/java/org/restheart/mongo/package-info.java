/// The data API: MongoDB's resources over HTTP. [MongoService] is the entry point: it resolves a path to a resource,
/// reads the
/// parameters, checks that the resource exists and hands over to the one handler for that kind of resource and method.
///
/// Must not know: an HTTP server, how callers are authenticated, how the configuration is written.
@NullMarked
package org.restheart.mongo;

import org.jspecify.annotations.NullMarked;

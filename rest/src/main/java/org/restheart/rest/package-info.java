/// The data API: MongoDB's resources over HTTP. [MongoService] is the entry point: it resolves a path to a resource,
/// reads the parameters, checks that the resource exists and calls the handler for that kind of resource and method.
///
/// Must not know: an HTTP server, how callers are authenticated, the format of the configuration.
@NullMarked
package org.restheart.rest;

import org.jspecify.annotations.NullMarked;

/// The request and response types of handlers of the data API: [DataRequest], [DataHandler], and JSON responses with
/// entity tags.
///
/// Must not know: any handler, the routes.
@NullMarked
package org.restheart.rest.exchange;

import org.jspecify.annotations.NullMarked;

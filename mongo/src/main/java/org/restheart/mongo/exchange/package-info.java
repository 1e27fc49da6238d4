/// What handlers of the data API get and give: [DataRequest] in, JSON with an entity tag out, by [DataHandler].
///
/// Must not know: any handler, which of them answers what.
@NullMarked
package org.restheart.mongo.exchange;

import org.jspecify.annotations.NullMarked;

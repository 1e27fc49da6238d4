/// The query parameters of the data API, parsed and checked once per request into [Parameters].
///
/// Must not know: the driver's client.
@NullMarked
package org.restheart.rest.parameter;

import org.jspecify.annotations.NullMarked;

/// The Atlas Data API: [DataApiService] translates its actions into requests of the REST API, which are judged and
/// answered there, and writes the results as that service did.
///
/// Must not know: MongoDB, security, other services.
@NullMarked
package org.restheart.dataapi;

import org.jspecify.annotations.NullMarked;

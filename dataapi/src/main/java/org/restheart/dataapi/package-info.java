/// The Atlas Data API: [DataApiService] translates its actions to judged requests of the REST API and writes the
/// results in its own format.
///
/// Must not know: MongoDB, security, other services.
@NullMarked
package org.restheart.dataapi;

import org.jspecify.annotations.NullMarked;

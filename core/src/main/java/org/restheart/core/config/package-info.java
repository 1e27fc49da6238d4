/// Reads files, environment and command line into typed records: [Configuration] is the merged tree, [GatewayConfig]
/// its typed form. A [Block] reads values by name, with their bounds, and refuses what is wrong by key, bound and
/// value. What a key means stands in `keys.yml`, and not again at the records.
///
/// Must not know: HTTP, MongoDB's client, or anything that runs.
@NullMarked
package org.restheart.core.config;

import org.jspecify.annotations.NullMarked;

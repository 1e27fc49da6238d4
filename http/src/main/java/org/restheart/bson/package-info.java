/// JSON ⇄ BSON. [org.restheart.bson.JsonEncoder] writes BSON as JSON text, [org.restheart.bson.JsonParser] reads JSON.
///
/// Must not know: HTTP, the driver's client.
@NullMarked
package org.restheart.bson;

import org.jspecify.annotations.NullMarked;

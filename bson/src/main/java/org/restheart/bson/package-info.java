/// JSON in, JSON out: BSON bytes become JSON text and JSON text becomes BSON bytes in one pass, without trees.
/// [JsonEncoder] writes every [JsonMode]; [JsonParser] reads Extended JSON and the MongoDB shell's
/// dialect; [RawDocuments] reads and replaces top-level fields of BSON bytes.
///
/// Must not know: requests and responses, any server, the MongoDB driver's client.
@NullMarked
package org.restheart.bson;

import org.jspecify.annotations.NullMarked;

package org.restheart.mongo.idempotency;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.bson.BsonBinary;
import org.bson.BsonObjectId;
import org.bson.types.ObjectId;
import org.restheart.mongo.write.NewIds;

/// The ids of one claim: every attempt writes the same documents. Confined to one attempt.
///
/// @param claim the digest that identifies the claim
/// @param etag created with the claim
/// @param unfinished whether the attempt has left documents out
record ClaimedIds(BsonBinary claim, ObjectId etag, AtomicBoolean unfinished) implements NewIds {
    private static final int TIMESTAMP_BYTES = 4;

    /// Ids begin with the time of the claim, as MongoDB's own do; the rest is a digest of claim, tag and position.
    @Override
    public Supplier<BsonObjectId> sequence() {
        var position = new int[1];
        return () -> id(position[0]++);
    }

    private BsonObjectId id(int position) {
        var bytes = etag.toByteArray();
        var digest = digest(position);
        System.arraycopy(digest, 0, bytes, TIMESTAMP_BYTES, bytes.length - TIMESTAMP_BYTES);
        return new BsonObjectId(new ObjectId(bytes));
    }

    private byte[] digest(int position) {
        MessageDigest sha256 = Digests.sha256();
        sha256.update(claim.getData());
        sha256.update(etag.toByteArray());
        return sha256.digest(ByteBuffer.allocate(Integer.BYTES).putInt(position).array());
    }

    @Override
    public boolean mayRepeat() {
        return true;
    }

    @Override
    public void leftOut() {
        unfinished.set(true);
    }
}

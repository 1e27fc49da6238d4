package org.restheart.perftest.workload;

import java.nio.ByteBuffer;
import org.bson.types.ObjectId;

/// The ids of the loaded documents: the i-th can be computed by anyone, so that no list has to be kept or shipped.
public final class DocumentIds {
    private static final long PREFIX = 0x6800_0000_5eed_0001L;

    private DocumentIds() {}

    /// The i-th id, counted from 0; ids grow with i.
    public static ObjectId at(int i) {
        return new ObjectId(ByteBuffer.allocate(12).putLong(PREFIX).putInt(i).array());
    }
}

package org.restheart.core.server;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import org.xnio.IoUtils;
import org.xnio.channels.StreamSinkChannel;
import org.xnio.conduits.AbstractStreamSourceConduit;
import org.xnio.conduits.ConduitReadableByteChannel;
import org.xnio.conduits.StreamSourceConduit;

/// A conduit that looks at all bytes in [#read(ByteBuffer)]: the other ways of reading go through it.
abstract class BufferedSourceConduit extends AbstractStreamSourceConduit<StreamSourceConduit> {
    BufferedSourceConduit(StreamSourceConduit next) {
        super(next);
    }

    @Override
    public abstract int read(ByteBuffer bytes) throws IOException;

    @Override
    public final long read(ByteBuffer[] bytes, int offset, int length) throws IOException {
        for (int i = offset; i < offset + length; i++) {
            if (bytes[i].hasRemaining()) {
                return read(bytes[i]);
            }
        }
        return 0;
    }

    @Override
    public final long transferTo(long position, long count, FileChannel target) throws IOException {
        return target.transferFrom(new ConduitReadableByteChannel(this), position, count);
    }

    @Override
    public final long transferTo(long count, ByteBuffer through, StreamSinkChannel target) throws IOException {
        return IoUtils.transfer(new ConduitReadableByteChannel(this), count, through, target);
    }
}

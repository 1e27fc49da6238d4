package org.restheart.core.server;

import io.undertow.connector.ByteBufferPool;
import io.undertow.connector.PooledByteBuffer;
import io.undertow.server.DefaultByteBufferPool;
import org.xnio.XnioIoThread;

/// A pool of buffers that caches per thread for I/O threads only.
///
/// A thread-local cache on a virtual thread lives as long as the request, so its buffers are not reused. I/O threads
/// are few and permanent.
final class IoThreadBufferPool implements ByteBufferPool {
    /// Buffers beyond that are freed when they come back.
    private static final int MAX_IDLE = 2_048;

    private static final int CACHED_PER_IO_THREAD = 12;

    private final ByteBufferPool cached;
    private final ByteBufferPool shared;

    IoThreadBufferPool(boolean direct, int bufferSize) {
        this.cached = new DefaultByteBufferPool(direct, bufferSize, MAX_IDLE, CACHED_PER_IO_THREAD);
        this.shared = new DefaultByteBufferPool(direct, bufferSize, MAX_IDLE, 0);
    }

    @Override
    public PooledByteBuffer allocate() {
        return (Thread.currentThread() instanceof XnioIoThread ? cached : shared).allocate();
    }

    @Override
    public ByteBufferPool getArrayBackedPool() {
        return shared.getArrayBackedPool();
    }

    @Override
    public void close() {
        cached.close();
        shared.close();
    }

    @Override
    public int getBufferSize() {
        return shared.getBufferSize();
    }

    @Override
    public boolean isDirect() {
        return shared.isDirect();
    }
}

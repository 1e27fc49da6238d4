package org.restheart.http.judged;

import java.io.IOException;
import java.io.InputStream;
import org.restheart.http.Body;

/// The content of a request inside another one, which is charged for what is made of it.
record InnerBody(Body content, Body outer) implements Body {
    /// Nothing is made of no content.
    static Body of(Body content, Body outer) {
        return content.isAbsent() ? content : new InnerBody(content, outer);
    }

    @Override
    public long length() {
        return content.length();
    }

    @Override
    public byte[] bytes() {
        return content.bytes();
    }

    @Override
    public InputStream stream() throws IOException {
        return content.stream();
    }

    @Override
    public boolean isHere() {
        return content.isHere();
    }

    @Override
    public void hold(long bytes) {
        outer.hold(bytes);
    }
}

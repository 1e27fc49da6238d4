package org.restheart.security;

import java.nio.ByteBuffer;
import org.restheart.http.Content;
import org.restheart.http.access.CallerScope;

/// Streamed content that is produced in the scope of its caller, on whatever thread it is read.
record CallersSource(String caller, Content.Source source) implements Content.Source {
    @Override
    public ByteBuffer next() throws Exception {
        return CallerScope.callChecked(caller, source::next);
    }

    @Override
    public void close() {
        CallerScope.run(caller, source::close);
    }
}

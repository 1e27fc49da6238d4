package org.restheart.mongo.hal;

import org.bson.BsonDocument;
import org.restheart.bson.Utf8Buffer;
import org.restheart.mongo.format.DocumentFormat;

/// Writes a list as SHAL: all children in one array, no links of the list itself; without its properties only
/// the array.
final class ShalFormat implements DocumentFormat {
    private final HalPage page;
    private final Members members;
    private final boolean onlyChildren;

    ShalFormat(HalPage page, Members members, boolean onlyChildren) {
        this.page = page;
        this.members = members;
        this.onlyChildren = onlyChildren;
    }

    @Override
    public String mediaType() {
        return HalPage.MEDIA_TYPE;
    }

    @Override
    public void begin(Utf8Buffer out) {
        if (!onlyChildren) {
            out.put((byte) '{');
            members.members(page.head(), out);
            members.name("_embedded", out);
        }
        out.put((byte) '[');
    }

    @Override
    public void document(BsonDocument document, long index, Utf8Buffer out) {
        if (index > 0) {
            out.ascii(", ");
        }
        members.value(page.represent().apply(document), out);
    }

    @Override
    public void end(long count, Utf8Buffer out) {
        out.put((byte) ']');
        if (!onlyChildren) {
            if (count == 0) {
                members.members(page.ifNone(), out);
            }
            members.member("_returned", count, out);
            out.put((byte) '}');
        }
    }
}

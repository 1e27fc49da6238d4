package org.restheart.dataapi;

import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.restheart.http.judged.DataPaths;
import org.restheart.http.judged.JudgedRequests;
import org.restheart.http.module.ConfigBlock;
import org.restheart.http.module.LogIns;
import org.restheart.http.module.ServiceModule;
import org.restheart.http.module.ServiceModule.Configured;
import org.restheart.http.module.ServiceModule.Context;

/// `dataApi` of the configuration.
///
/// @param uri the prefix of app id, version and action
/// @param appIds accepted app ids; empty for any
/// @param dataSources accepted data sources; empty for any
/// @param versions accepted versions
/// @param canonical whether canonical Extended JSON is the default format
/// @param roles that may use the service; empty for every account
/// @param allowKeyFromBrowsers whether scripts of browsers may send keys and passwords
/// @param linkBase begins the `link` of errors; empty for none
public record DataApiConfig(
        String uri,
        Set<String> appIds,
        Set<String> dataSources,
        Set<String> versions,
        boolean canonical,
        Limits limits,
        Inserts inserts,
        List<String> roles,
        boolean allowKeyFromBrowsers,
        String linkBase)
        implements Configured {
    public DataApiConfig {
        appIds = Set.copyOf(appIds);
        dataSources = Set.copyOf(dataSources);
        versions = Set.copyOf(versions);
        roles = List.copyOf(roles);
    }

    public static final class DataApi implements ServiceModule {
        @Override
        public String block() {
            return "dataApi";
        }

        @Override
        public Configured read(ConfigBlock root) {
            var block = root.block("dataApi");
            return new DataApiConfig(
                    block.uri("uri"),
                    Set.copyOf(block.texts("app-ids")),
                    Set.copyOf(block.texts("data-sources")),
                    Set.copyOf(block.texts("versions")),
                    block.choice("return-type").equals("EJSON"),
                    new Limits(
                            block.integer("default-limit"),
                            block.integer("max-limit"),
                            block.duration("time-limit"),
                            block.longInteger("max-response-bytes")),
                    new Inserts(
                            block.integer("insert-status"),
                            block.bool("ordered-inserts"),
                            block.bool("create-collections")),
                    block.texts("roles"),
                    block.bool("allow-key-from-browsers"),
                    block.optionalText("link-base").orElse(""));
        }
    }

    @Override
    public void install(Context context) {
        var actions = new DataApiService(
                this,
                context.get(JudgedRequests.class),
                context.get(DataPaths.class),
                context.get(MeterRegistry.class));
        context.serve(actions, uri, DataApiService::located);
        context.find(LogIns.class).ifPresent(logIns -> {
            context.serve(new LogInService(this, logIns), LogInService.URI, LogInService::located);
            context.serveSessions(new SessionService(this, logIns), SessionService.URI);
        });
    }

    /// @param documents of a `find` without a limit
    /// @param mostDocuments of a `find` or an `aggregate`
    /// @param time of an action that reads or changes by a filter, if the REST API has no stricter one
    /// @param bytes of an answer
    public record Limits(int documents, int mostDocuments, Duration time, long bytes) {}

    /// How documents are inserted.
    ///
    /// @param status 200 or 201
    /// @param ordered whether an array is inserted in its order, up to the first document that fails
    /// @param createCollections whether inserts and upserts make their collection, for callers who may
    public record Inserts(int status, boolean ordered, boolean createCollections) {}
}

package org.restheart.core.config;

import org.restheart.core.config.Finding.Level;

/// Warns about settings that are safe on a local machine only.
final class Exposure {
    private Exposure() {}

    static void report(GatewayConfig config, boolean defaultPassword, Reading reading) {
        boolean openHttp = config.http().enabled() && !config.http().isLoopback();
        boolean openHttps =
                config.https().enabled() && !config.https().listener().isLoopback();
        if (defaultPassword) {
            reading.add(new Finding(
                    Level.ADVICE,
                    "",
                    "The account " + DefaultAccount.NAME + " has the default password"
                            + (openHttp || openHttps ? ", and this server is reached from other machines" : "")
                            + ": change it in /fileRealmAuthenticator/users"));
        }
        var tokens = config.security().tokens();
        if ((openHttp || openHttps)
                && tokens.jwtTokens().isPresent()
                && tokens.jwt().settings().isSymmetric()
                && !tokens.jwt().shared()) {
            reading.add(new Finding(
                    Level.ADVICE,
                    "/jwtConfigProvider/key",
                    "is null: tokens and cookies end with this process, and other gateways refuse them"));
        }
        if (openHttp) {
            reading.add(new Finding(
                    Level.ADVICE,
                    "/http-listener/host",
                    "is " + config.http().host() + ": passwords travel in clear text unless a proxy adds TLS"));
        }
    }
}

package dev.assay.support;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** Puts a server behind TLS, with a new certificate for one name. Forwards all data unchanged. */
public final class TlsFront implements AutoCloseable {
    private static final String PASSWORD = "changeit";

    /** How many connections were opened, with or without a handshake. */
    public final AtomicInteger connections = new AtomicInteger();

    private final KeyStore keys;
    private final ServerSocket listener;
    private final URI target;

    /**
     * Starts it in front of {@code target}; {@code name} is a subject alternative name as keytool takes it.
     */
    public TlsFront(String target, String name) throws Exception {
        this.target = URI.create(target);
        keys = makeKeys(name);
        KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        managers.init(keys, PASSWORD.toCharArray());
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(managers.getKeyManagers(), null, null);
        listener = context.getServerSocketFactory().createServerSocket(0, 50, InetAddress.getByName("127.0.0.1"));
        start(this::accept);
    }

    /** Returns the address to reach it at. */
    public String url() {
        return "https://127.0.0.1:" + listener.getLocalPort();
    }

    /** Returns a context that trusts this server's certificate, and no other. */
    public SSLContext trust() throws GeneralSecurityException {
        TrustManagerFactory managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        managers.init(keys);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, managers.getTrustManagers(), null);
        return context;
    }

    @Override
    public void close() throws IOException {
        listener.close();
    }

    private void accept() {
        try {
            while (true) {
                Socket near = listener.accept();
                connections.incrementAndGet();
                Socket far = new Socket(target.getHost(), target.getPort());
                start(() -> copy(near, far));
                start(() -> copy(far, near));
            }
        } catch (IOException e) {
            // It was closed.
        }
    }

    private static void copy(Socket from, Socket to) {
        try (from;
                to;
                InputStream in = from.getInputStream();
                OutputStream out = to.getOutputStream()) {
            in.transferTo(out);
        } catch (IOException e) {
            // One side has closed, or the handshake failed.
        }
    }

    private static void start(Runnable work) {
        Thread thread = new Thread(work, "tls-front");
        thread.setDaemon(true);
        thread.start();
    }

    private static KeyStore makeKeys(String name) throws Exception {
        Path folder = Files.createTempDirectory("assay-tls");
        Path file = folder.resolve("keys.p12");
        Path own = Path.of(System.getProperty("java.home"), "bin", "keytool");
        List<String> command = List.of(
                Files.exists(own) ? own.toString() : "keytool", // a mere runtime may not have it
                "-genkeypair",
                "-alias",
                "own",
                "-keyalg",
                "EC",
                "-dname",
                "CN=assay",
                "-ext",
                "san=" + name,
                "-storetype",
                "PKCS12",
                "-storepass",
                PASSWORD,
                "-keystore",
                file.toString());
        try {
            Command made = Command.run(folder, Map.of(), command);
            if (made.exitCode != 0) throw new IOException("keytool: " + made);
            KeyStore keys = KeyStore.getInstance("PKCS12");
            try (InputStream in = Files.newInputStream(file)) {
                keys.load(in, PASSWORD.toCharArray());
            }
            return withCertificate(keys);
        } finally {
            Files.deleteIfExists(file);
            Files.delete(folder);
        }
    }

    /** A trust store trusts certificate entries, not key entries. */
    private static KeyStore withCertificate(KeyStore keys) throws GeneralSecurityException {
        keys.setCertificateEntry("trusted", keys.getCertificate("own"));
        return keys;
    }
}

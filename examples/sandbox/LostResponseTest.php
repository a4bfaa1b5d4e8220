<?php
// A sandbox per test, with PHP alone: php LostResponseTest.php. In PHPUnit, create the sandbox in setUp.
//
// PETSTORE_SANDBOXES is the address of a host, which "petstore sandboxes" starts.
declare(strict_types=1);

/** The connection was lost before a response. */
class ConnectionLost extends RuntimeException {}

/** A store of a test's own. */
class Sandbox
{
    public readonly string $base;
    private readonly string $control;
    private readonly string $key;

    public function __construct()
    {
        $host = getenv('PETSTORE_SANDBOXES') ?: 'http://127.0.0.1:8081';
        [, , $created] = self::send('POST', "$host/sandboxes");
        $this->base = $created['baseUrl'];
        $this->control = "$host/sandboxes/{$created['id']}";
        $this->key = $created['adminKey'];
    }

    /** Sends a request to the store. Returns the status, the header lines and the JSON of the response. */
    public function call(string $method, string $path, ?array $body = null, array $headers = []): array
    {
        return self::send($method, $this->base . $path, $body, ["Authorization: Bearer {$this->key}", ...$headers]);
    }

    /** Sends a request to the host: "/faults", "/requests", "/reset", ... */
    public function control(string $method, string $path = '', ?array $body = null): array
    {
        return self::send($method, $this->control . $path, $body, ["Authorization: Bearer {$this->key}"]);
    }

    private static function send(string $method, string $url, ?array $body = null, array $headers = []): array
    {
        $context = stream_context_create(['http' => [
            'method' => $method,
            'header' => ['Content-Type: application/json', 'Connection: close', ...$headers],
            'content' => $body === null ? '' : json_encode($body, JSON_THROW_ON_ERROR),
            'ignore_errors' => true,
            'timeout' => 10,
        ]]);
        $text = @file_get_contents($url, false, $context);
        if ($text === false || !isset($http_response_header)) throw new ConnectionLost("$method $url");
        $status = (int) explode(' ', $http_response_header[0])[1];
        return [$status, $http_response_header, $text === '' ? null : json_decode($text, true, 512, JSON_THROW_ON_ERROR)];
    }
}

function check(bool $isTrue, string $what): void
{
    if (!$isTrue) throw new RuntimeException("Failed: $what");
}

$sandbox = new Sandbox();
try {
    $sandbox->control('PUT', '/faults', ['rules' => [[
        'name' => 'lost',
        'operation' => 'placeOrder',
        'when' => ['call' => 1],
        'effect' => ['type' => 'drop_after_commit'],
    ]]]);
    $place = fn () => $sandbox->call('POST', '/store/orders', ['petId' => 3, 'quantity' => 1], ['Idempotency-Key: "cart-17"']);
    try {
        $place();
        check(false, 'the first response is lost');
    } catch (ConnectionLost) {
    }
    [$status, $headers, $placed] = $place();
    check($status === 201 && in_array('Idempotent-Replayed: true', $headers), 'the order is replayed');
    [, , $orders] = $sandbox->call('GET', '/store/orders');
    check($orders === [$placed], 'there is one order');
    echo "An order whose response is lost is placed once.\n";
} finally {
    $sandbox->control('DELETE');
}

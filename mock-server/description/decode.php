<?php
// Decodes recorded answers with the generated client: any exception but that of a refusal ends it.
//
// Its first argument is the client's autoloader; the others are recordings that `record.py` wrote.

require $argv[1];

use GuzzleHttp\Handler\MockHandler;
use GuzzleHttp\Psr7\Response;
use PartnerApi\ApiException;

const APIS = ['Alerts', 'AllowedPorts', 'DomainMonitoring', 'Endpoints', 'FirewallIngest', 'Health', 'Provisioning',
    'ProvisioningAlias', 'Sandbox', 'SingleSignOn'];

$answers = new MockHandler();
$http = new GuzzleHttp\Client(['handler' => GuzzleHttp\HandlerStack::create($answers)]);

// The generated methods by the name of their operation.
$operations = [];
foreach (APIS as $name) {
    $class = "PartnerApi\\Api\\{$name}Api";
    $api = new $class($http);
    foreach ((new ReflectionClass($class))->getMethods() as $method) {
        if (preg_match('/^(\w+)WithHttpInfo$/', $method->name, $found) && !str_ends_with($found[1], 'Async')) {
            $operations[$found[1]] = [$api, $method];
        }
    }
}

/** Arguments that are good enough for a call that goes nowhere. */
function arguments(ReflectionMethod $method): array
{
    $given = [];
    foreach ($method->getParameters() as $parameter) {
        if ($parameter->isOptional()) {
            break;
        }
        preg_match('/@param\s+(\S+)\s+\$' . $parameter->name . '\b/', $method->getDocComment(), $found);
        $given[] = match ($found[1]) {
            'int' => 1,
            'string' => '2f9c1d4e-7a53-4b60-8d21-5e6f7a8b9c0d',
            default => new $found[1](),
        };
    }
    return $given;
}

foreach (array_slice($argv, 2) as $recording) {
    $decoded = 0;
    $met = [];
    foreach (file($recording) as $line) {
        $kept = json_decode($line);
        if ($kept->status !== 204 && !str_starts_with($kept->body, '{')) {
            continue; // A fault made it up.
        }
        $name = lcfirst(str_replace('_', '', ucwords($kept->operation, '_')));
        [$api, $method] = $operations[$name];
        $answers->append(new Response($kept->status, ['Content-Type' => 'application/json'], $kept->body));
        try {
            $method->invoke($api, ...arguments($method));
        } catch (ApiException $refused) {
            if ($refused->getCode() !== $kept->status) {
                throw $refused;
            }
        }
        $decoded++;
        $met[$name] = true;
    }
    echo "PHP: $decoded answers of ", count($met), " operations decoded\n";
}

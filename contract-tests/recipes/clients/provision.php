<?php
// The recipe for PHP, with a client generated from the description and Guzzle.
//
//     secmon-mock openapi > openapi.yaml
//     openapi-generator-cli generate -i openapi.yaml -g php -o partner_api --additional-properties=invokerPackage=PartnerApi
//     composer --working-dir=partner_api install
//     secmon-mock exec -- php contract-tests/recipes/clients/provision.php partner_api/vendor/autoload.php

require $argv[1];

use PartnerApi\Api\AlertsApi;
use PartnerApi\Api\EndpointsApi;
use PartnerApi\Api\ProvisioningApi;
use PartnerApi\ApiException;
use PartnerApi\Configuration;
use PartnerApi\Model\EndpointIdRequest;
use PartnerApi\Model\ProvisionRequest;
use PartnerApi\Model\ServiceStatusRequest;
use PartnerApi\Model\SyncServicesRequest;

const CUSTOMER = 42;
const UNKNOWN = '00000000-0000-0000-0000-000000000007';

function expect(bool $holds, mixed $what): void
{
    if (!$holds) {
        throw new Exception(json_encode($what));
    }
}

$config = (new Configuration())->setHost(getenv('SECMON_BASE_URL'))->setAccessToken(getenv('SECMON_API_KEY'));
$http = new GuzzleHttp\Client();
$provisioning = new ProvisioningApi($http, $config);
$endpoints = new EndpointsApi($http, $config);
$alerts = new AlertsApi($http, $config);

// Provision three servers, each for a service of the billing system. The same call again finds the server that is there.
$servers = [];
foreach ([10, 11, 12, 12] as $number) {
    $request = new ProvisionRequest([
        'client_id' => CUSTOMER, 'ip_address' => "203.0.113.$number", 'service_id' => 500 + $number,
    ]);
    [$answer, $status] = $provisioning->provisionEndpointWithHttpInfo($request);
    if ($status === 201) {
        $servers[] = $answer->getData()->getEndpointId();
    } else {
        echo 'provisioned: ', $answer->getData()->getNote(), "\n";
    }
}
expect(count($servers) === 3, $servers);

// Read one of them.
$detail = $endpoints->getEndpointDetail($servers[0], CUSTOMER);
expect($detail->getData()->getIpAddress() === '203.0.113.10', $detail);
echo 'read: ', $detail->getData()->getNickname(), ' ', $detail->getData()->getCreatedAt()->format(DATE_ATOM), "\n";

// Page through all of them.
$listed = [];
for ($page = 1; ; $page++) {
    $answer = $endpoints->listEndpoints(CUSTOMER, per_page: 2, page: $page);
    foreach ($answer->getData() as $server) {
        $listed[] = $server->getId();
    }
    if ($answer->getLinks()->getNext() === null) {
        break;
    }
}
expect($listed === $servers, $listed);
echo 'paged: ', count($listed), " servers on $page pages\n";

// Report the status of a service every night. On most nights nothing changes, and `enforcement` is an empty list; else it
// is a map from the customer to what was paused.
$sync = function (string $status) use ($provisioning) {
    $service = new ServiceStatusRequest([
        'service_id' => 510, 'client_id' => CUSTOMER, 'product_slug' => 'endpoint', 'status' => $status,
    ]);
    return $provisioning->syncServices(new SyncServicesRequest(['services' => [$service]]))->getData();
};
$quiet = $sync('active');
$busy = $sync('suspended');
expect($quiet->getUnchanged() === 1 && $quiet->getEnforcement() === [] && $busy->getChanged() === 1, [$quiet, $busy]);
$usage = $busy->getEnforcement()->{CUSTOMER}->port_monitoring->usage;
echo "synced: {$quiet->getUnchanged()} unchanged; {$busy->getChanged()} changed, usage $usage\n";

// Meet an error in each of its shapes: with a code, with the wrong fields, with the status as a number.
$refusal = function (int $status, Closure $call) {
    try {
        $call();
    } catch (ApiException $refused) {
        expect($refused->getCode() === $status, $refused->getResponseBody());
        return $refused->getResponseObject();
    }
    expect(false, 'it is not refused');
};
$unknown = new EndpointIdRequest(['endpoint_id' => UNKNOWN]);
$code = $refusal(404, fn() => $provisioning->suspendEndpoint($unknown))->getError()->getCode();
$nothing = new ProvisionRequest(['client_id' => CUSTOMER]);
$fields = array_keys($refusal(422, fn() => $provisioning->provisionEndpoint($nothing))->getErrors());
$server = $refusal(404, fn() => $endpoints->getEndpoint(UNKNOWN, CUSTOMER))->getError()->getCode();
$alert = $refusal(404, fn() => $alerts->getPortAlert(UNKNOWN, CUSTOMER))->getError()->getCode();
expect([$code, $fields, $server, $alert] === ['ENDPOINT_NOT_FOUND', ['ip_address'], 404, 404], [$code, $fields, $server, $alert]);
echo "refused: $code $fields[0] $server $alert\n";

// Send more than the 60 requests of a minute: the answer says how long to wait.
try {
    for ($sent = 0; $sent < 61; $sent++) {
        $provisioning->suspendEndpoint(new EndpointIdRequest(['endpoint_id' => $servers[1]]));
    }
    expect(false, 'it is not throttled');
} catch (ApiException $throttled) {
    $wait = array_change_key_case($throttled->getResponseHeaders())['retry-after'][0];
    expect($throttled->getCode() === 429 && $wait >= 1, $throttled->getResponseBody());
    echo 'throttled: ', $throttled->getResponseObject()->getMessage(), "\n";
}

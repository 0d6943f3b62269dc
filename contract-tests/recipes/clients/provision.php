<?php
// The recipe for PHP, with a client generated from the description and Guzzle.
//
//     secmon-mock openapi > openapi.yaml
//     openapi-generator-cli generate -i openapi.yaml -g php -o partner_api --additional-properties=invokerPackage=PartnerApi
//     composer --working-dir=partner_api install
//     secmon-mock exec -- php contract-tests/recipes/clients/provision.php partner_api/vendor/autoload.php

require $argv[1];

use PartnerApi\Api\EndpointsApi;
use PartnerApi\Api\ProvisioningApi;
use PartnerApi\ApiException;
use PartnerApi\Configuration;
use PartnerApi\Model\EndpointIdRequest;
use PartnerApi\Model\ProvisionRequest;

const CUSTOMER = 42;

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

// Provision three servers. Sent again, the call finds the server that is there.
$servers = [];
foreach ([10, 11, 12, 12] as $number) {
    $request = new ProvisionRequest(['client_id' => CUSTOMER, 'ip_address' => "203.0.113.$number"]);
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

// Meet an error, and tell it by its code.
try {
    $provisioning->suspendEndpoint(new EndpointIdRequest(['endpoint_id' => '00000000-0000-0000-0000-000000000007']));
    expect(false, 'it is not refused');
} catch (ApiException $refused) {
    $code = $refused->getResponseObject()->getError()->getCode();
    expect($refused->getCode() === 404 && $code === 'ENDPOINT_NOT_FOUND', $refused->getResponseBody());
    echo "refused: $code\n";
}

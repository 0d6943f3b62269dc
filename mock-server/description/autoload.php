<?php
// What composer would make, with the Guzzle of the distribution.
require 'GuzzleHttp/autoload.php';

spl_autoload_register(function (string $class): void {
    if (str_starts_with($class, 'PartnerApi\\')) {
        require __DIR__ . '/lib/' . strtr(substr($class, strlen('PartnerApi\\')), '\\', '/') . '.php';
    }
});

const proxyVariables = ['http_proxy', 'HTTP_PROXY', 'all_proxy', 'ALL_PROXY']

/**
 * Removes the proxy variables from the environment of this process. Otherwise, the runtime would send requests for this
 * machine, including the key, to a proxy.
 */
export function ignoreProxies(): void {
  for (const name of proxyVariables) delete process.env[name]
}

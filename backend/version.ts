/** Version of the product, as the login answer, the configuration and the ready line give it. */
export const productVersion = '0.1.0';

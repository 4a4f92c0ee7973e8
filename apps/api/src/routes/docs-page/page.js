// Follows the browser's colour scheme. Swagger UI's own switch is in a top bar that this page lacks.
const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', follow);
follow();

// No validator: the default one is on another host. HTTP Basic is left out of the dialog, because it opens
// only `/Token`.
SwaggerUIBundle({
  dom_id: '#docs',
  url: 'openapi.json',
  deepLinking: true,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
  requestSnippetsEnabled: true,
  validatorUrl: null,
  plugins: [
    {
      statePlugins: {
        auth: {
          wrapActions: {
            // Swagger UI would focus the token field, which comes last.
            showDefinitions: (original) => (shown) => {
              const done = original(shown);
              if (shown) {
                requestAnimationFrame(() => {
                  document.getElementById('client_id_clientCredentials')?.focus();
                });
              }
              return done;
            },
          },
          wrapSelectors: {
            definitionsToAuthorize:
              (original) =>
              (...given) =>
                original(...given).filter((definition) => !definition.has('clientBasic')),
          },
        },
      },
    },
  ],
});

// Draws /openapi.yaml with Swagger UI, which lies beside this file: no other host is asked.
SwaggerUIBundle({
  url: "/openapi.yaml",
  dom_id: "#docs",
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  validatorUrl: null,
});

/* Replaces everything except options.c if the packages required for reading SPIR-V are missing. */
#include <norn/spirv.h>

bool
norn_spirv_is_available(void) {
  return false;
}

bool
norn_spirv_interface_resource(const NornSpirvInterface *interface, unsigned index,
                              NornSpirvResource *resource) {
  (void)interface;
  (void)index;
  (void)resource;
  return false;
}

void
norn_spirv_interface_free(NornSpirvInterface *interface) {
  (void)interface;
}

NornModule *
norn_module_from_spirv(const void *bytes, size_t size, const char *filename,
                       const NornSpirvOptions *options, NornSpirvInterface **interface,
                       GError **error) {
  (void)bytes;
  (void)size;
  (void)options;
  (void)interface;
  g_set_error(error, NORN_ERROR, NORN_ERROR_UNSUPPORTED,
              "%s: this build does not support SPIR-V, since SPIRV-Tools or the SPIR-V headers "
              "were missing",
              filename ? filename : "SPIR-V");
  return NULL;
}

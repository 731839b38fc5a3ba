// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <string>

#include "converter/cli/evidence_facts.h"
#include "converter/cli/evidence_parts.h"
#include "runtime/version.h"

namespace weft::cli {
namespace {

constexpr const char* kUnknown = "NOASSERTION";
constexpr const char* kWeft = "SPDXRef-weft";

Json Checksum256(const Json& sha256) {
  return Json::array({{{"algorithm", "SHA256"}, {"checksumValue", sha256}}});
}

// A file of the call, as a package, because SPDX requires a SHA-1 of files.
Json FileRow(const std::string& id, const Json& file, const char* purpose) {
  return {{"name", file["file"]},
          {"SPDXID", id},
          {"downloadLocation", kUnknown},
          {"filesAnalyzed", false},
          {"primaryPackagePurpose", purpose},
          {"checksums", Checksum256(file["sha256"])},
          {"licenseConcluded", kUnknown},
          {"licenseDeclared", kUnknown},
          {"copyrightText", kUnknown}};
}

Json WeftRow() {
  return {{"name", "weft"},
          {"SPDXID", kWeft},
          {"versionInfo", WEFT_VERSION},
          {"downloadLocation", kUnknown},
          {"filesAnalyzed", false},
          {"comment", "The weft command, and the runtime and kernels that firmware links"},
          {"licenseConcluded", "Apache-2.0"},
          {"licenseDeclared", "Apache-2.0"},
          {"copyrightText", kUnknown}};
}

Json ComponentRow(const std::string& id, const Component& component) {
  Json row = {{"name", component.name}, {"SPDXID", id}};
  if (!component.version.empty()) row["versionInfo"] = component.version;
  row["downloadLocation"] = component.is_pinned ? component.url : kUnknown;
  row["filesAnalyzed"] = false;
  if (component.is_pinned) {
    row["checksums"] = Checksum256(component.sha256);
  } else {
    row["sourceInfo"] = fmt::format(
        "This build used an installed library or another source tree. CMake otherwise "
        "uses {} with SHA-256 {}",
        component.url, component.sha256);
  }
  row["comment"] = fmt::format("Used in {}", component.used_in);
  row["licenseConcluded"] = component.licence;
  row["licenseDeclared"] = component.licence;
  row["copyrightText"] = kUnknown;
  return row;
}

Json Relation(const std::string& from, const char* kind, const std::string& to) {
  return {{"spdxElementId", from}, {"relationshipType", kind}, {"relatedSpdxElement", to}};
}

}  // namespace

Json SbomOf(const Json& model, const Json& sources) {
  const std::string model_id = "SPDXRef-model";
  Json packages = Json::array({FileRow(model_id, model, "FILE"), WeftRow()});
  Json relations = Json::array({Relation("SPDXRef-DOCUMENT", "DESCRIBES", model_id),
                                Relation(kWeft, "RUNTIME_DEPENDENCY_OF", model_id),
                                Relation(kWeft, "BUILD_TOOL_OF", model_id)});
  for (size_t i = 0; i < sources.size(); ++i) {
    const std::string id = fmt::format("SPDXRef-source-{}", i);
    packages.push_back(FileRow(id, sources[i], "SOURCE"));
    relations.push_back(Relation(model_id, "GENERATED_FROM", id));
  }
  for (const Component& component : kComponents) {
    const std::string id = fmt::format("SPDXRef-{}", component.name);
    packages.push_back(ComponentRow(id, component));
    relations.push_back(Relation(kWeft, "DEPENDS_ON", id));
  }
  return {{"spdxVersion", "SPDX-2.3"},
          {"dataLicense", "CC0-1.0"},
          {"SPDXID", "SPDXRef-DOCUMENT"},
          {"name", model["file"]},
          {"documentNamespace", fmt::format("https://spdx.org/spdxdocs/weft-{}-{}", WEFT_VERSION,
                                            model["sha256"].get<std::string>())},
          {"creationInfo",
           {{"created", "1970-01-01T00:00:00Z"},
            {"creators", Json::array({"Tool: weft-" WEFT_VERSION})},
            {"comment", "The time is constant, so that equal conversions have equal documents"}}},
          {"packages", packages},
          {"relationships", relations}};
}

}  // namespace weft::cli

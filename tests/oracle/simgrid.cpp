// Flows over given links in SimGrid (S4U, package libsimgrid-dev), set to plain max-min fairness: no
// latency, no window, no cross traffic, bandwidth factor 1.
//
// Input:  LINKS, then the capacity of each [bytes/s]; HOSTS; FLOWS, then for each the sending and the
//         receiving host, its bytes, its number of links, and the links. All numbered from 0.
// Output: the end of each flow [s], in order; then the CPU seconds of the simulation.

#include <ctime>
#include <iostream>
#include <set>
#include <string>
#include <vector>

#include <simgrid/s4u.hpp>

namespace sg4 = simgrid::s4u;

namespace {

struct Flow {
  int from, to;
  double bytes;
  std::vector<int> links;
};

std::vector<double> ends;

void run_all(const std::vector<Flow>& flows, const std::vector<sg4::Host*>& hosts)
{
  std::vector<sg4::CommPtr> comms;
  for (const Flow& flow : flows)
    comms.push_back(
        sg4::Comm::sendto_async(hosts[flow.from], hosts[flow.to], static_cast<uint64_t>(flow.bytes)));
  for (const auto& comm : comms) {
    comm->wait();
    ends.push_back(comm->get_finish_time());
  }
}

} // namespace

int main(int argc, char** argv)
{
  sg4::Engine engine(&argc, argv);
  for (const char* setting : {"network/model:CM02", "network/TCP-gamma:0", "network/bandwidth-factor:1.0",
                              "network/latency-factor:1.0", "network/weight-S:0", "network/crosstraffic:no",
                              "surf/precision:1e-12"})
    sg4::Engine::set_config(std::string(setting));

  int num_links, num_hosts, num_flows;
  auto* zone = sg4::create_full_zone("fabric");
  std::cin >> num_links;
  std::vector<const sg4::Link*> links;
  for (int i = 0; i < num_links; i++) {
    double capacity;
    std::cin >> capacity;
    links.push_back(zone->create_link("link" + std::to_string(i), capacity)->set_latency(0)->seal());
  }
  std::cin >> num_hosts;
  std::vector<sg4::Host*> hosts;
  for (int i = 0; i < num_hosts; i++)
    hosts.push_back(zone->create_host("host" + std::to_string(i), 1e9)->seal());
  std::cin >> num_flows;
  std::vector<Flow> flows(num_flows);
  std::set<std::pair<int, int>> routed;
  for (Flow& flow : flows) {
    int crossed;
    std::cin >> flow.from >> flow.to >> flow.bytes >> crossed;
    flow.links.resize(crossed);
    for (int& link : flow.links)
      std::cin >> link;
    if (routed.emplace(flow.from, flow.to).second) {
      std::vector<const sg4::Link*> path;
      for (int link : flow.links)
        path.push_back(links[link]);
      std::vector<sg4::LinkInRoute> way(path.begin(), path.end());
      zone->add_route(hosts[flow.from]->get_netpoint(), hosts[flow.to]->get_netpoint(), nullptr, nullptr, way, false);
    }
  }
  zone->seal();
  sg4::Actor::create("main", hosts[0], [&flows, &hosts]() { run_all(flows, hosts); });

  const std::clock_t begin = std::clock();
  engine.run();
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  std::cout.precision(17);
  for (double end : ends)
    std::cout << end << '\n';
  std::cout << seconds << '\n';
  return 0;
}
